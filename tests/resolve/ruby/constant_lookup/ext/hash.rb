class Hash
end
