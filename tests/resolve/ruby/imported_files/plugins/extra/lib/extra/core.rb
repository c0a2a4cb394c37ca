module Extra
end
